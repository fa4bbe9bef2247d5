import type { JsonObject } from '../kernel/json.ts';
import type { Distortion } from '../model/iqa.ts';
import type { Tool } from '../model/tool.ts';

/** A request to rate image quality: for which distortions, and whether there is a reference image. */
export interface ImageRequest {
  /** Whether a score is wanted, rather than a changed picture or a map of the differences. */
  readonly judged: boolean;
  readonly distortions: readonly Distortion[];
  readonly reference: boolean;
  /** Subjects other than general quality that the request names, such as faces. */
  readonly subjects: readonly string[];
}

export const imageRequestOf = (text: string, context: JsonObject = {}): ImageRequest | undefined => {
  if (!PICTURE.test(text) && !('image' in context)) return undefined;
  if (CHANGES.test(text) || WHERE.test(text)) return { judged: false, distortions: [], reference: false, subjects: [] };
  const distortions = (Object.keys(SIGNS) as Distortion[]).filter((distortion) => SIGNS[distortion].test(text));
  if (distortions.length === 0 && !QUALITY.test(text)) return undefined;
  // One of two pictures is the reference.
  const two = new Set(text.match(PICTURE_FILE)).size > 1;
  const subjects = Object.keys(SUBJECTS).filter((subject) => SUBJECTS[subject]?.test(text));
  const compared = two || (REFERENCE.test(text) && !ALONE.test(text)) || 'reference' in context;
  return { judged: true, distortions, reference: compared, subjects };
};

/** Scores an image-quality tool by the picture's distortion and whether a reference is given. */
export const imageFit = (
  tool: Tool,
  request: ImageRequest | undefined,
): { score: number; reason: string } | undefined => {
  const { iqa } = tool;
  if (iqa === undefined || request === undefined) return undefined;
  if (!request.judged) return { score: UNWANTED, reason: 'gives a score, which is not what was asked for' };
  const matching = request.distortions.filter((distortion) => iqa.strengths.includes(distortion));
  const mode = (iqa.type === 'FR') === request.reference;
  // A specialist is preferred to a tool that lists every distortion as a strength.
  const special = matching.length > 0 ? 0.5 / iqa.strengths.length : 0;
  // A metric of faces, aesthetics or information does not rate quality in general.
  const subject = tool.tags?.find((tag) => tag in SUBJECTS);
  const apt = subject === undefined || (request.distortions.length > 0 && matching.length > 0);
  const score =
    (mode ? 3 : -4) +
    (apt ? 0 : request.subjects.includes(subject ?? '') ? 1 : -4) +
    (request.distortions.length === 0 ? 0 : 3 * (matching.length / request.distortions.length)) +
    special;
  const strength =
    matching.length > 0 ? `strong at ${matching.join(', ').toLowerCase()}` : 'no special strength asked for';
  return { score, reason: `${iqa.type === 'FR' ? 'compares with a reference' : 'needs no reference'}; ${strength}` };
};

const UNWANTED = -4;

/** Whether a word only asks for image quality, or names one of the tool's strengths. */
export const isImageWord = (word: string, { iqa }: Tool): boolean =>
  PICTURE.test(word) || QUALITY.test(word) || (iqa?.strengths ?? []).some((strength) => SIGNS[strength].test(word));

/** Index terms that find image-quality tools whatever the request's wording; none when no score is wanted. */
export const imageTerms = (request: ImageRequest): readonly { readonly term: string; readonly weight: number }[] =>
  (!request.judged
    ? []
    : ['imag', 'qualiti', 'iqa', ...request.distortions.flatMap((distortion) => INDEX_TERMS[distortion])]
  ).map((term) => ({
    term,
    weight: 1,
  }));

const PICTURE =
  /\b(?:photos?|photographs?|pictures?|images?|pics?|snapshots?|screenshots?|jpe?gs?|pngs?|tiffs?|webp|avif|bmp|frames?|shots?)\b|图片|图像|照片|相片|截图|画面|这张图|原图/iu;
const CHANGES =
  /^(?:please |can you |could you |i (?:want|need) to )*(?:compress|shrink|resize|scale|crop|convert|enlarge|rotate|reduce|make|turn)\b|^(?:请|帮我)*(?:把|将)[^，。]*(?:压缩|缩放|缩小|转成|转换|改成)/iu;
const PICTURE_FILE = /[\w./-]+\.(?:png|jpe?g|webp|tiff?|gif|bmp|avif)\b/giu;
const QUALITY =
  /\bquality\b(?!\s?(?:of\s|at\s|=\s?)?\d)|\b(?:distort\w*|degrad\w*|artifacts?|artefacts?|similarity|ssim|psnr|niqe|brisque|lpips)\b|\bhow (?:good|bad|well|nice|clear|clean)\b|\b(?:judge|rate|score|assess|grade)\s(?:the\s|this\s|my\s)?(?:quality|picture|photo|image|look|[\w./-]+\.(?:png|jpe?g|webp|tiff?))|\blooks? (?:good|bad|worse|better|fine)\b|\bhow much (?:worse|better)\b|质量|画质|失真|评分|打分|好不好|怎么样/iu;
const REFERENCE =
  /\b(?:compar\w+|reference|original|ground truth|before and after|than the|versus|vs|against|source image|undistorted|pristine)\b|原图|原始|参考|对比图|相比|与原|和原/iu;
const ALONE = /\b(?:without|no)[\s-](?:an?\s|any\s|the\s)?(?:reference|original)\b|(?:没有|无|不需要)(?:参考|原图)/iu;
const WHERE =
  /\b(?:show|see|paint|mark|highlight|find|tell)\b[^.?!]{0,24}\bwhere\b|^where\b|\bheat ?map\b|\b(?:quality|difference|error) map\b|哪里|什么地方|热力图/iu;
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
const SUBJECTS: Readonly<Record<string, RegExp>> = Object.assign(Object.create(null), {
  aesthetics: /\baesthetic\w*|\bbeaut\w+|\bpretty\b|\bcomposition\b|美感|美学|好看/iu,
  faces: /\bfac(?:e|es|ial)\b|\bselfies?\b|人脸|脸部/iu,
  underwater: /\bunder ?water\b|水下/iu,
  information: /\bentropy\b|\binformation\b|信息|熵/iu,
});
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
