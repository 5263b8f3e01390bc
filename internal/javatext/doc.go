// Package javatext reproduces what the output of Java programs depends on: the text of
// floating-point numbers, the hash codes of strings, and the iteration order of HashMaps.
package javatext
