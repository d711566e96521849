module trustops.example/client

go 1.24.0
