import type { SpanKind } from './span.ts';

/** A pattern, and a mark that every text with a match has: a cheap test that most texts fail. */
interface Marked {
  readonly mark: RegExp;
  readonly pattern: RegExp;
}
const DOTTED = /\.[a-z]/iu;

export const QUOTES: readonly Marked[] = [
  { mark: /"/u, pattern: /"([^"]{1,2000})"/gu },
  { mark: /“/u, pattern: /“([^”]{1,2000})”/gu },
  { mark: /'/u, pattern: /(?<![\p{L}\p{N}])'((?:[^']|'(?=\p{L})){1,500})'(?!\p{Script=Latin})/gu },
  { mark: /‘/u, pattern: /‘([^’\n]{1,500})’/gu },
  { mark: /`/u, pattern: /`([^`\n]{1,500})`/gu },
  { mark: /[「『《]/u, pattern: /[「『《]([^」』》\n]{1,500})[」』》]/gu },
];
export const PATTERNS: readonly (Marked & { readonly kind: SpanKind })[] = [
  { kind: 'url', mark: /:\/\//u, pattern: /(?:https?|ftp|s3):\/\/[^\s"'<>，。]{1,2000}[^\s"'<>，。.,;:!?)\]]/giu },
  { kind: 'email', mark: /@/u, pattern: /(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,5}/gu },
  { kind: 'path', mark: /\//u, pattern: /(?<![\p{L}\p{N}:/.])(?:~|\.{1,2})?\/(?:[\w.@-]+\/?){1,32}(?<![.,])/gu },
  { kind: 'path', mark: /:\//u, pattern: /(?<![\p{L}\p{N}])[A-Za-z]:\/(?:[\w.@-]+\/?){1,32}(?<![.,])/gu },
  { kind: 'path', mark: /:\\/u, pattern: /(?<!\p{L})[A-Za-z]:\\[^\s"'<>|?*]{0,400}/gu },
  {
    kind: 'path',
    mark: DOTTED,
    pattern:
      /(?<![\p{L}\p{N}/.@])(?:[\w-]{1,64}\/){0,8}[\w-]{1,100}(?:\.[\w-]{1,20}){0,3}\.(?:txt|csv|json|xml|ya?ml|toml|pdf|docx?|xlsx?|pptx?|md|html?|css|png|jpe?g|gif|bmp|tiff?|webp|avif|heic|svg|mp[34]|m4a|wav|flac|avi|mov|mkv|zip|tar|gz|bin|dat|py|js|ts|java|cpp|h5|onnx|parquet|log|exe|sql|db|ini|cfg|conf|lnk|bak|tmp)\b/giu,
  },
  // A Chinese file name needs a space or a quote before it, because Chinese words have no spaces between them.
  {
    kind: 'path',
    mark: DOTTED,
    pattern:
      /(?<=^|[\s“‘"'(（：])(?=\p{Script=Han})(?![把将给对从用])(?:[\p{Script=Han}\w-]{1,64}\/){0,8}[\p{Script=Han}\w-]{1,60}\.(?:txt|csv|json|pdf|docx?|xlsx?|md|png|jpe?g|gif|bmp|tiff?|webp|avif|heic|svg)\b/giu,
  },
  // After a folder any file extension is accepted.
  {
    kind: 'path',
    mark: /\//u,
    pattern: /(?<![\p{L}\p{N}/.@:])(?:[\w-]{1,64}\/){1,8}[\w-]{1,100}\.[A-Za-z\d]{1,6}(?![\w/])/gu,
  },
  {
    kind: 'url',
    mark: DOTTED,
    pattern:
      /(?<![\p{L}\p{N}@./-])(?:[\w-]{1,63}\.){1,4}(?:com|org|net|io|edu|gov|co|ai|dev|app|ca|uk|de|fr|cn|jp|in|info|me|tv)(?:\/[^\s"'<>]*)?(?![\p{L}\p{N}])/giu,
  },
];
/** Base64, versions, ranges of years, grouped numbers and ids: `a1`, `a_b` or `aB`, but not `5kg` or `1e-9`. */
export const CODES: readonly Marked[] = [
  { mark: /=/u, pattern: /(?<![\w/+=])(?=[A-Za-z\d+/]*[A-Z\d])[A-Za-z\d+/]{4,512}={1,2}(?![\w=])/gu },
  {
    mark: /\//u,
    pattern:
      /(?<![\p{L}\p{N}_/:.@-])(?=[\w.-]*\/?[\w.-]*[A-Z\d_-])[A-Za-z][\w.-]{1,63}\/[A-Za-z][\w.-]{1,63}(?<![.])(?![\p{L}\p{N}/])/gu,
  },
  { mark: /#/u, pattern: /#\d{1,12}(?![\p{L}\p{N}])/gu },
  { mark: /\.\d/u, pattern: /(?<![\p{L}\p{N}_/.-])v?\d{1,4}(?:\.\d{1,6}){2,3}(?![\p{L}\p{N}]|\.\d)/gu },
  { mark: /\d-\d/u, pattern: /(?<![\p{L}\p{N}_/.-])\d{1,8}(?:-\d{1,8}){2,4}(?![\p{L}\p{N}_-])/gu },
  { mark: /\d[-–/]/u, pattern: /(?<![\p{L}\p{N}_/.-])(?:19|20)\d\d[-–/](?:(?:19|20)\d\d|\d\d)(?![\p{L}\p{N}-])/gu },
  {
    mark: /[\dA-Z_]/u,
    pattern:
      /(?<![\p{L}\p{N}_/.-])(?=[\w-]*[A-Za-z])(?=[\w-]*[\d_]|[a-z]+[A-Z])(?!\d+(?:\p{L}{1,3})?(?![\w-]))(?!\d+(?:\.\d+)?e-?\d+(?![\w-]))(?!\d+-[a-z]+(?![\w-]))[A-Za-z\d][\w-]{1,128}(?![\p{L}\p{N}])/gu,
  },
];
