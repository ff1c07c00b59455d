-- Know the server by a name.
ATTACH $address AS served$number (TOKEN $token)
