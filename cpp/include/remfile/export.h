/* Marks what the shared library exports. Included by the other headers; nothing to use here. */
#ifndef REMFILE_EXPORT_H
#define REMFILE_EXPORT_H

#if defined(_WIN32) && defined(REMFILE_SHARED)
#ifdef REMFILE_BUILDING
#define REMFILE_API __declspec(dllexport)
#else
#define REMFILE_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define REMFILE_API __attribute__((visibility("default")))
#else
#define REMFILE_API
#endif

#endif
