
  // All of the selection is known here: of a remote file it comes in parallel
  prefetchRemote(dataset, dataspace);
