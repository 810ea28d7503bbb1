"""Results of analyses as blocks to show, a module for each subject; the numbers are those of the results."""
