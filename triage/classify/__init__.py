"""What broke in each job, from the job alone: structure first, then rules, then guesses."""
