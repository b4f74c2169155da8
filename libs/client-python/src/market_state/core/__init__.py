"""What the client decides, without input or output: the same for the asynchronous and the synchronous client."""
