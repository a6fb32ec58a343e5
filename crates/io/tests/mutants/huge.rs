//! Files that are too large, too deep or no files at all.
