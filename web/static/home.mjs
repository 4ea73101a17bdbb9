/** The path of the site, which ends with a slash. */
export const home = document.documentElement.dataset.home
