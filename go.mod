module github.com/howdah/howdah

go 1.26.0
