package client

// Upload is for the tests.
var Upload = upload
