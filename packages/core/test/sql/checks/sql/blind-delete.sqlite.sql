delete
from "song" as "t1"
where "playlistId" = ?
-- [51]
delete
from "playlist" as "t0"
where "t0"."id" = ? and true returning "id"
-- [51]
