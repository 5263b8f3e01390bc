// Package javatext has what Java makes of values where it shows in files: text of numbers, and the order of HashMaps.
package javatext
