"""From the official files to checked tables: readers, the sample corpus, splits, and stories that are there twice."""
