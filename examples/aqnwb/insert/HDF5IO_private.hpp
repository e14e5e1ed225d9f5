
  /**
   * @brief Starts fetching what a selection of a remote dataset needs, in
   * parallel. Does nothing for a local file.
   *
   * @param dataset The dataset that will be read.
   * @param selection The dataspace of the dataset with the elements selected.
   */
  void prefetchRemote(const H5::DataSet& dataset,
                      const H5::DataSpace& selection) const;

  /**
   * @brief Whether the file was opened by @ref openRemote
   */
  bool m_remote = false;

  /**
   * @brief Why the last call of @ref openRemote failed; empty if it did not.
   */
  std::string m_remoteError;
