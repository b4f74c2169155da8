import { Problem } from '../../../serving/errors/problem';
import { keptText, type TextOf } from '../../../serving/http/representation';
import { OWN_PAGE_SECURITY_HEADERS } from '../../../serving/http/security-headers';
import type { HandlerTable, Reply } from '../../../serving/handlers/handler';
import { ACCOUNT_PAGE_FILES } from './page-files';
import { BILLING_PAGE } from './billing-page';
import { CLAIM_PAGE, RESET_PASSWORD_PAGE } from './pages';

/** A page may be stored, and is asked for again each time it is opened. */
const PAGE_DELIVERY = { cacheControl: 'no-cache', security: OWN_PAGE_SECURITY_HEADERS };
/** A name means the same bytes for good. */
const FILE_DELIVERY = { cacheControl: 'public, max-age=31536000, immutable', security: OWN_PAGE_SECURITY_HEADERS };

/** The pages that links in mails and answers open, by operation; the portal's take their place. */
export function accountPages(): HandlerTable<'getClaimPage' | 'getResetPasswordPage' | 'getBillingPage' | 'getAccountPageFile'> {
  const files = new Map(
    Object.values(ACCOUNT_PAGE_FILES).map(
      ({ name, mediaType, bytes }) => [name, { ...keptText(bytes, mediaType), delivery: FILE_DELIVERY }] as const,
    ),
  );
  return {
    getClaimPage: servePage(CLAIM_PAGE),
    getResetPasswordPage: servePage(RESET_PASSWORD_PAGE),
    getBillingPage: servePage(BILLING_PAGE),
    getAccountPageFile({ input }) {
      const file = files.get(input.path.file_name);
      if (file === undefined) throw new Problem('not_found', 'The account pages have no file of this name; open the page again.');
      return file;
    },
  };
}

function servePage(html: string): () => Reply<TextOf<'text/html'>> {
  const page = { ...keptText(Buffer.from(html), 'text/html'), delivery: PAGE_DELIVERY };
  return () => page;
}
