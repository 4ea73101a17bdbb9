package webhook

import (
	"fmt"
	"net/netip"
	"strings"
)

// specialNetworks are the networks that are not on the public internet, and those that
// translate to others: RFC 6890 and the registries of IANA.
var specialNetworks = parseNetworks(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
	"192.0.2.0/24",
	"192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15",
	"198.51.100.0/24",
	"203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
	"168.63.129.16/32", // metadata of Azure
)

// publicIPv6 is all that is assigned for the public internet, and specialIPv6 what in it is not
// public, or translates to IPv4.
var (
	publicIPv6  = netip.MustParsePrefix("2000::/3")
	specialIPv6 = parseNetworks("2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20")
)

func parseNetworks(texts ...string) (networks []netip.Prefix) {
	for _, text := range texts {
		networks = append(networks, netip.MustParsePrefix(text))
	}
	return networks
}

// isPublic reports whether an address is on the public internet.
func isPublic(address netip.Addr) bool {
	address = address.Unmap()
	if address.Zone() != "" || !address.IsGlobalUnicast() {
		return false
	}
	if address.Is6() {
		return publicIPv6.Contains(address) && !containsAddr(specialIPv6, address)
	}
	return !containsAddr(specialNetworks, address)
}

func containsAddr(networks []netip.Prefix, address netip.Addr) bool {
	address = address.Unmap().WithZone("")
	for _, n := range networks {
		if n.Contains(address) {
			return true
		}
	}
	return false
}

// ParseNetworks reads a list of networks such as 10.1.0.0/16, or of single addresses.
func ParseNetworks(texts []string) (networks []netip.Prefix, err error) {
	for _, text := range texts {
		text = strings.TrimSpace(text)
		n, err := netip.ParsePrefix(text)
		if err != nil {
			address, addressErr := netip.ParseAddr(text)
			if addressErr != nil {
				return nil, fmt.Errorf("%q is not a network. Use one such as 10.1.0.0/16, or an address such as 10.1.2.3", text)
			}
			n = netip.PrefixFrom(address, address.BitLen())
		}
		networks = append(networks, n.Masked())
	}
	return networks, nil
}
