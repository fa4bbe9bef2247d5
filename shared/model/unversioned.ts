/** The version name under which a spec without a version stays callable. */
export const UNVERSIONED = 'unversioned';
