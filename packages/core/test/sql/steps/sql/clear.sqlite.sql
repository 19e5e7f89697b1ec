update "album" set "openerId" = null
where "openerId" in (?, ?)
-- [221,222]
