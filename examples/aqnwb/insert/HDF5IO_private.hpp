
  /**
   * @brief Why the last call of @ref openRemote failed; empty if it did not.
   */
  std::string m_remoteError;
