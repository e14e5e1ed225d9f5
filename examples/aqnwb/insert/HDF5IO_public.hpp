
  /**
   * @brief Opens a remote file, over HTTP(S), for reading only.
   *
   * The file name given to the constructor is a URL here. Like
   * `open(FileMode::ReadOnly)` this opens the file as a SWMR reader, and
   * everything that reads works as on a local file; data is fetched when it is
   * asked for. The file is closed as any other, with @ref close or by the
   * destructor.
   *
   * Only available if AqNWB was built with `AQNWB_WITH_REMFILE`, see
   * @ref canOpenRemote. This function is specific to @ref HDF5IO and not part
   * of the @ref BaseIO interface.
   *
   * @param options How to fetch, as "key=value" pairs separated by commas,
   * e.g., "max_retries=20, read_ahead=off". See the documentation of remfile
   * for the keys; the default suits most files.
   * @return Status::Success, or Status::Failure if the file cannot be opened or
   * a file is open already. @ref getRemoteError tells why.
   */
  Status openRemote(const std::string& options = std::string());

  /**
   * @brief Tells why the last call of @ref openRemote failed.
   * @return A sentence with the URL (without its secrets), what the server
   * answered, and what was tried. Empty if the call did not fail.
   */
  std::string getRemoteError() const;

  /**
   * @brief Tells whether AqNWB was built with support for remote files.
   * @return True if @ref openRemote can open files.
   */
  static bool canOpenRemote();
