"""Work that the machines of a Dask cluster share, and files that lie elsewhere: in buckets, in archives, on the web."""
