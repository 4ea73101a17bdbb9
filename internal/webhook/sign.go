package webhook

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// secretPrefix starts every secret.
const secretPrefix = "whsec_"

// NewSecret returns a secret of 256 random bits.
func NewSecret() string {
	random := make([]byte, 32)
	rand.Read(random)
	return secretPrefix + base64.StdEncoding.EncodeToString(random)
}

// setSignature sets the headers of Standard Webhooks: the id, the time of the attempt, and
// one signature per secret.
func (s Signing) setSignature(h http.Header, id string, sentAt time.Time, body []byte) error {
	timestamp := strconv.FormatInt(sentAt.Unix(), 10)
	var signatures []string
	for _, secret := range []string{s.Secret, s.PreviousSecret} {
		if secret == "" {
			continue
		}
		signature, err := sign(secret, id, timestamp, body)
		if err != nil {
			return err
		}
		signatures = append(signatures, signature)
	}
	h.Set("Webhook-Id", id)
	h.Set("Webhook-Timestamp", timestamp)
	h.Set("Webhook-Signature", strings.Join(signatures, " "))
	return nil
}

// sign returns a signature, version 1: HMAC-SHA256 of the id, the time and the body.
func sign(secret, id, timestamp string, body []byte) (string, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix))
	if err != nil {
		return "", fmt.Errorf("the stored secret is not valid: %w", err)
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, timestamp, body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)), nil
}
