package fault

// Text returns the message shown for an error of kind k without its own.
func (k Kind) Text() string {
	switch k {
	case SignedOut:
		return "Sign in to continue."
	case Forbidden:
		return "You do not have access to this."
	case NotFound:
		return "Not found, or you do not have access to it."
	case Conflict:
		return "This has changed since you opened it. Open it again to see the current state."
	case Invalid:
		return "The input is invalid. Check it and try again."
	case TooLarge:
		return "The upload is too large."
	case Limited:
		return "There were too many attempts. Wait a minute, then try again."
	case Unavailable:
		return "The service is not available right now. Try again in a moment."
	}
	return "Something went wrong on the server. Your saved work is safe. Try again."
}
