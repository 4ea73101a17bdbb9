// Gives the server the time zone of the reader, in which pages write dates from the next page on.

import { home } from './home.mjs'

const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
if (timeZone) document.cookie = `time_zone=${timeZone}; path=${home}; max-age=31536000; samesite=lax${location.protocol === 'https:' ? '; secure' : ''}`
