"""What each stage of the graph does: one function a stage, called by the command line and by the tasks."""
