update "album" set "openerId" = null
where "openerId" in ($1::bigint, $2::bigint)
-- [221,222]
