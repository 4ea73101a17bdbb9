package main

func (tokenCreate) Help() string {
	return `Prints the token to standard output, once: only a hash is stored. The token has the rights of the account when it is used, within its scopes and projects. Describe the API to your program with /api/v1/openapi.json.

Example:

  labelwright token create --account lena@example.org --name "judge pipeline" --scope read,judge --project pilot`
}

func (tokenList) Help() string {
	return `Lists active tokens, and those that ended in the last 90 days.

Example:

  labelwright token list --account lena@example.org`
}

func (tokenRevoke) Help() string {
	return `Ends a token at once, on every server.

Example:

  labelwright token revoke 3`
}
