// Package javatext formats values as Java does: the text of floating-point numbers and the
// iteration order of HashMaps.
package javatext
