package account

// An ExternalIdentity is a user as the company's sign-in confirmed it, with a verified address.
type ExternalIdentity struct {
	Provider string // its name
	Issuer   string
	Subject  string // who it is at the issuer; never given to another user
	Email    string
	Name     string
	Role     Role // by the groups of the user; empty: the role stays
}
