"""The report and its JSON form, `triage/1`."""
