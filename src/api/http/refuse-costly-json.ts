import { AppError } from '../../shared/errors.ts';

/** No call takes a tenth of either. A body of 1 MiB could have half a million, which takes a third of a second to be refused. */
const mostValues = 20_000;
const mostLevels = 64;
/** A shorter text is read at once, whatever it has. */
const shortLength = 16 * 1024;

const codes = { quote: 0x22, comma: 0x2c, open: 0x5b, backslash: 0x5c, close: 0x5d, begin: 0x7b, end: 0x7d };

function endOfString(text: string, start: number): number {
  let at = start + 1;
  for (; at < text.length && text.charCodeAt(at) !== codes.quote; at++) {
    if (text.charCodeAt(at) === codes.backslash) at++;
  }
  return at;
}

/** Before JSON is parsed: what is valid of it and what not is for the parser. @throws AppError `invalid_request` */
export function refuseCostlyJson(text: string): void {
  if (text.length <= shortLength) return;
  let values = 0;
  let levels = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === codes.quote) at = endOfString(text, at);
    else if (code === codes.comma) values++;
    else if (code === codes.close || code === codes.end) levels--;
    else if (code === codes.open || code === codes.begin) {
      values++;
      levels++;
    }
    if (values > mostValues || levels > mostLevels) {
      throw new AppError(
        'invalid_request',
        `The body has more than ${mostValues.toLocaleString('en')} values, or more than ${mostLevels} levels of them. No call takes so many.`,
      );
    }
  }
}
