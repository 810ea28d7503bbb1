"""The best of several endings by a chooser of the right ending: as a generator, and as a judge of systems' endings."""
