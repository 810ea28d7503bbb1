"""From the official files to checked tables: readers, sample corpus, splits, overlap report."""
