package anthropic

// dialect is what opaque blocks of this API are marked with.
const dialect = "anthropic"
