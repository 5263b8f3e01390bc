package client

// Upload exports upload to the tests.
var Upload = upload

// OnClose makes Close also call f.
func OnClose(c *Client, f func()) {
	closeConn := c.close
	c.close = func() error {
		err := closeConn()
		f()
		return err
	}
}
