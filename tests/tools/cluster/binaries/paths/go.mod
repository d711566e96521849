module trustops.example/paths

go 1.24.0
