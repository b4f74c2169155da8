import { keptText, type Representation, type TextOf } from '../../serving/http/representation';
import { llmsText } from './reference-page/llms-text';
import type { Handler } from '../../serving/handlers/handler';

/** The guide for language models. The own address is known once the server listens. */
export function getLlmsText(baseUrl: () => string): Handler<'getLlmsText'> {
  let text: Representation<TextOf<'text/plain'>> | undefined;
  return () => (text ??= keptText(Buffer.from(llmsText(baseUrl())), 'text/plain'));
}
