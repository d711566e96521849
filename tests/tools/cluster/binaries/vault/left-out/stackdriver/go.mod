module github.com/google/go-metrics-stackdriver

go 1.26.0
