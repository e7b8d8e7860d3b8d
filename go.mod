module github.com/sgrun/sgrun

go 1.26
