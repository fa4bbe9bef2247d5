import type { JsonObject } from '../kernel/json.ts';
import type { Distortion } from '../model/iqa.ts';
import type { Tool } from '../model/tool.ts';

/** A request to judge a picture: for which distortions, and whether there is a reference to compare it with. */
export interface ImageRequest {
  readonly distortions: readonly Distortion[];
  readonly reference: boolean;
}

export const imageRequestOf = (text: string, context: JsonObject = {}): ImageRequest | undefined => {
  const distortions = (Object.keys(SIGNS) as Distortion[]).filter((distortion) => SIGNS[distortion].test(text));
  const picture = PICTURE.test(text) || 'image' in context;
  // Who wants a picture changed is not asking how good it is.
  if (CHANGES.test(text)) return undefined;
  if (!picture || (distortions.length === 0 && !QUALITY.test(text))) return undefined;
  // Of two pictures one is what the other is judged against.
  const two = new Set(text.match(PICTURE_FILE)).size > 1;
  return { distortions, reference: two || REFERENCE.test(text) || 'reference' in context };
};

/** Scores an image-quality tool by the picture's distortion and whether a reference is given. */
export const imageFit = (
  tool: Tool,
  request: ImageRequest | undefined,
): { score: number; reason: string } | undefined => {
  const { iqa } = tool;
  if (iqa === undefined || request === undefined) return undefined;
  const matching = request.distortions.filter((distortion) => iqa.strengths.includes(distortion));
  const mode = (iqa.type === 'FR') === request.reference;
  // One that is strong at few things is chosen before one that is said to be strong at all.
  const special = matching.length > 0 ? 0.5 / iqa.strengths.length : 0;
  const score =
    (mode ? 3 : -4) +
    (request.distortions.length === 0 ? 0 : 3 * (matching.length / request.distortions.length)) +
    special;
  const strength =
    matching.length > 0 ? `strong at ${matching.join(', ').toLowerCase()}` : 'no special strength asked for';
  return { score, reason: `${iqa.type === 'FR' ? 'compares with a reference' : 'needs no reference'}; ${strength}` };
};

/** Words that find image-quality tools in the index, whatever the request called them. */
export const imageTerms = (request: ImageRequest): readonly { readonly term: string; readonly weight: number }[] =>
  ['imag', 'qualiti', 'iqa', ...request.distortions.flatMap((distortion) => INDEX_TERMS[distortion])].map((term) => ({
    term,
    weight: 1,
  }));

const PICTURE =
  /\b(?:photos?|photographs?|pictures?|images?|pics?|snapshots?|screenshots?|jpe?gs?|pngs?|tiffs?|webp|avif|bmp|frames?|shots?)\b|图片|图像|照片|相片|截图|画面|这张图|原图/iu;
const CHANGES =
  /^(?:please |can you |could you |i (?:want|need) to )*(?:compress|shrink|resize|scale|crop|convert|enlarge|rotate|reduce|make|turn)\b|^(?:请|帮我)*(?:把|将)[^，。]*(?:压缩|缩放|缩小|转成|转换|改成)/iu;
const PICTURE_FILE = /[\w./-]+\.(?:png|jpe?g|webp|tiff?|gif|bmp|avif)\b/giu;
const QUALITY =
  /\bquality\b(?!\s?(?:of\s|at\s|=\s?)?\d)|\b(?:distort\w*|degrad\w*|artifacts?|artefacts?|similarity|ssim|psnr|niqe|brisque|lpips)\b|\bhow (?:good|bad|well|nice|clear|clean)\b|\b(?:judge|rate|score|assess|grade)\s(?:the\s|this\s|my\s)?(?:quality|picture|photo|image|look|[\w./-]+\.(?:png|jpe?g|webp|tiff?))|\blooks? (?:good|bad|worse|better|fine)\b|质量|画质|失真|评分|打分|好不好|怎么样/iu;
const REFERENCE =
  /\b(?:compar\w+|reference|original|ground truth|before and after|than the|versus|vs|against|source image|undistorted|pristine)\b|原图|原始|参考|对比图|相比|与原|和原/iu;
const SIGNS: Readonly<Record<Distortion, RegExp>> = {
  Blurs: /\bblur\w*|out of focus|unfocus\w*|defocus\w*|\bfuzzy\b|模糊|失焦|虚焦/iu,
  'Color distortions': /\bcolou?r\w*|saturat\w*|\bhue\b|\btint\w*|颜色|色彩|偏色|饱和/iu,
  Compression: /\bcompress\w*|\bjpe?g artifacts?|block(?:y|ing)|\bartifacts?\b|压缩|块效应/iu,
  Noise: /\bnois[ey]\w*|\bgrain\w*|\bspeckl\w*|噪点|噪声|颗粒/iu,
  'Brightness change': /\bbright\w*|\bdark\w*|expos(?:ed|ure)|underexpos\w*|overexpos\w*|亮度|过暗|过亮|曝光/iu,
  'Spatial distortions': /\bwarp\w*|pixelat\w*|\bjitter\w*|misalign\w*|geometric|spatial|错位|变形|像素化/iu,
  Sharpness: /\bsharp\w*|\bcrisp\w*|清晰|锐度|锐利/iu,
  Contrast: /\bcontrast\w*|\bwashed out|对比度/iu,
};
const INDEX_TERMS: Readonly<Record<Distortion, readonly string[]>> = {
  Blurs: ['blur'],
  'Color distortions': ['color', 'distort'],
  Compression: ['compress'],
  Noise: ['nois'],
  'Brightness change': ['bright'],
  'Spatial distortions': ['spatial', 'distort'],
  Sharpness: ['sharp'],
  Contrast: ['contrast'],
};
