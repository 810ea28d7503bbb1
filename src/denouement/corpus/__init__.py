"""From the official files to checked tables: readers, the sample corpus, splits, and repeated stories."""
