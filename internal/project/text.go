package project

import (
	"fmt"
	"strconv"
)

// Text returns a number of matches in English: "2 email addresses".
func (k PersonalDataKind) Text(count int) string {
	nouns := map[PersonalDataKind][2]string{
		EmailAddress: {"email address", "email addresses"},
		SocialHandle: {"social media handle", "social media handles"},
		BankAccount:  {"bank account number", "bank account numbers"},
		PhoneNumber:  {"phone number", "phone numbers"},
	}[k]
	if count == 1 {
		return "1 " + nouns[0]
	}
	return formatCount(count) + " " + nouns[1]
}

// formatCount returns n with thousands separators: "10,000".
func formatCount(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%s,%03d", formatCount(n/1000), n%1000)
}
