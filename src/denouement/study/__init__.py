"""Human evaluation of story endings: design a study, run it in the browser, read the results (Mori et al. 2019)."""
