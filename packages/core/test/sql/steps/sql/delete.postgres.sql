delete
from "track"
where "id" in ($1::bigint, $2::bigint)
-- [222,223]
