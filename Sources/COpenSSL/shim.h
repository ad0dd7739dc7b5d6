#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

// What OpenSSL has as macros, which Swift does not see.

static inline void copenssl_modern(SSL_CTX *context) {
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION);
}

static inline int copenssl_server_name(SSL *session, const char *name) {
    return (int)SSL_set_tlsext_host_name(session, name);
}

// A key behind a password would be asked for on the terminal.
static inline int copenssl_no_password(char *buffer, int size, int writes, void *context) {
    (void)buffer, (void)size, (void)writes, (void)context;
    return -1;
}

static inline void copenssl_ask_nobody(SSL_CTX *context) {
    SSL_CTX_set_default_passwd_cb(context, copenssl_no_password);
}

static inline int copenssl_error_library(unsigned long error) { return ERR_GET_LIB(error); }
static inline int copenssl_error_reason(unsigned long error) { return ERR_GET_REASON(error); }
