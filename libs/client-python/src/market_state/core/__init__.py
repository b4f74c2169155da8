"""Logic without I/O, shared by the asynchronous and the synchronous client."""
