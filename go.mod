module github.com/weir-agents/weir

go 1.26
