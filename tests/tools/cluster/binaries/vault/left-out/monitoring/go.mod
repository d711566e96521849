module cloud.google.com/go/monitoring

go 1.26.0
