// Placeholder until the first commit of these tests.
