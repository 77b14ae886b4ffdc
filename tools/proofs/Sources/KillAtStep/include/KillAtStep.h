/* Nothing to call: it is preloaded. */
