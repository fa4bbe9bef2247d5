/** The distortion categories of image quality; a tool's strengths name these and no others. */
export const distortions = [
  'Blurs',
  'Color distortions',
  'Compression',
  'Noise',
  'Brightness change',
  'Spatial distortions',
  'Sharpness',
  'Contrast',
] as const;

/** FR compares with a reference, NR looks at one picture alone. */
export const iqaTypes = ['FR', 'NR'] as const;
